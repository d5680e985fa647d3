"""The number of shares of a Mashable article, by 40 of its features."""

from rafs.datasets.core import Spec
from rafs.datasets.real import draw
from rafs.datasets.sources import UCI, File, Layout, Source

LAYOUT = Layout(
    columns=(*range(2, 9), 11, 12, *range(21, 31), *range(39, 60), 60),
    width=61,
    delimiter=",",
    header=1,
)

SOURCE = Source(
    files=(
        File(
            path="online_news_popularity/OnlineNewsPopularity.csv",
            sha256="b66d9088632308cc27fa35af847650d174a5a50503987c4e511de94a99d1c218",
            size=24311769,
            layout=LAYOUT,
            url=f"{UCI}/static/public/332/online+news+popularity.zip",
        ),
        File(  # reassembled from public copies; 2052 cells have fewer digits
            path="online_news_popularity/OnlineNewsPopularity.csv",
            sha256="62630691e5707b20d89fab3891382b27531f754434e0dafef00f29dcf02e282a",
            size=24305290,
            layout=LAYOUT,
        ),
    ),
    rows=39644,
    ranges=(*((-1.0, 843300.0),) * 40, (1.0, 843300.0)),
    values="cc2b0c7abcc416008fbbb0ec8e94c92744d3727f05d19d61fa7eeaa6a8f09b51",
    digits=6,
)

SPEC = Spec(
    name="news",
    title="Online news popularity",
    place=27,
    category="large",
    features=(
        "n_tokens_title",
        "n_tokens_content",
        "n_unique_tokens",
        "n_non_stop_words",
        "n_non_stop_unique_tokens",
        "num_hrefs",
        "num_self_hrefs",
        "average_token_length",
        "num_keywords",
        "kw_avg_min",
        "kw_min_max",
        "kw_max_max",
        "kw_avg_max",
        "kw_min_avg",
        "kw_max_avg",
        "kw_avg_avg",
        "self_reference_min_shares",
        "self_reference_max_shares",
        "self_reference_avg_sharess",
        "LDA_00",
        "LDA_01",
        "LDA_02",
        "LDA_03",
        "LDA_04",
        "global_subjectivity",
        "global_sentiment_polarity",
        "global_rate_positive_words",
        "global_rate_negative_words",
        "rate_positive_words",
        "rate_negative_words",
        "avg_positive_polarity",
        "min_positive_polarity",
        "max_positive_polarity",
        "avg_negative_polarity",
        "min_negative_polarity",
        "max_negative_polarity",
        "title_subjectivity",
        "title_sentiment_polarity",
        "abs_title_subjectivity",
        "abs_title_sentiment_polarity",
    ),
    target="shares",
    train=17840,
    test=21804,
    source="UCI 332",
    licence="CC BY 4.0",
    citation="Fernandes, Vinagre and Cortez (2015), EPIA, LNCS 9273:535-546",
    doi="10.24432/C5NS3V",
    sources={"news": SOURCE},
    draw=draw,
)
