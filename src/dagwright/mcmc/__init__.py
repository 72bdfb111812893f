"""Samplers of graphs: one algorithm a file."""

from dagwright.mcmc.base import Sampler, samplers
from dagwright.mcmc.order_mcmc import OrderMCMC
from dagwright.mcmc.partition_mcmc import PartitionMCMC
from dagwright.mcmc.structure_mcmc import StructureMCMC

__all__ = ["OrderMCMC", "PartitionMCMC", "Sampler", "StructureMCMC", "samplers"]
