"""The command `wordrank`."""
