"""Programs that measure the finished engine from outside, through its pipes. Run each as `python -m
tools.measure.NAME`.
"""
