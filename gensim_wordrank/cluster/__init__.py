"""Training on several machines: the same plan, the same vectors."""

from gensim_wordrank.cluster.hosts import Host, Hosts

__all__ = ["Host", "Hosts"]
