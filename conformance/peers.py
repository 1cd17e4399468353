"""The tools we are compared with."""

from __future__ import annotations

from conformance.comparing import Peer

DEV = "pip install '.[dev]'"

SACREBLEU = Peer("sacreBLEU", "sacrebleu", "sacrebleu", "pip install .")
MECAB_JA = Peer("MeCab for Japanese", "MeCab", "mecab-python3")
MECAB_KO = Peer("MeCab for Korean", "mecab_ko", "mecab-ko")
NLTK = Peer("nltk", "nltk", "nltk", DEV)
SCIPY = Peer("scipy", "scipy", "scipy", "pip install .")
PERMUTA = Peer("permuta", "permuta", "permuta")
COMPARE_MT = Peer("compare-mt", "compare_mt", "compare-mt", part="scorers")
STATSMODELS = Peer("statsmodels", "statsmodels", "statsmodels", DEV)
KRIPPENDORFF = Peer("krippendorff", "krippendorff", "krippendorff")
SPACY = Peer("spaCy", "spacy", "spacy")
UDAPI = Peer("Udapi", "udapi", "udapi")
THOT = Peer("Thot (its fast_align)", "thot", "sil-thot", DEV)
EFLOMAL = Peer("eflomal", "eflomal", "eflomal", "pip install '.[eflomal]' (needs a C compiler)")

PEERS = (
    SACREBLEU,
    MECAB_JA,
    MECAB_KO,
    NLTK,
    SCIPY,
    PERMUTA,
    COMPARE_MT,
    STATSMODELS,
    KRIPPENDORFF,
    SPACY,
    UDAPI,
    THOT,
    EFLOMAL,
)
