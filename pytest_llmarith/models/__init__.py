"""The broker, which asks models through litellm within limits and a budget, and stores
their replies.
"""
