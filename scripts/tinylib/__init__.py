"""The parts of train_tiny.py."""
