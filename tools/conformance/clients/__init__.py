"""What a check needs to say in each dialect: a client that is more careful than a GUI, and knows every word."""
