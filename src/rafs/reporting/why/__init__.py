"""What makes random activations work: shared code of its tables, figures and findings."""
