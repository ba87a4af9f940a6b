"""Schedules of collective operations, as people look at them: tables and pictures of what the native library makes."""
