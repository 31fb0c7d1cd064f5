"""Computer networks: throughput, delay, sharing."""
