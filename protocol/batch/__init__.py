"""What the command line does besides the daemon: one file per subcommand, each on an `Engine`."""
