"""What makes random activations work: what tables, figures and findings about it share."""
