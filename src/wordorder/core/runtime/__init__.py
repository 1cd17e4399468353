"""Runtime support: errors, files, kernels, threads, the cache and progress bars."""
