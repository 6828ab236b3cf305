"""The screens: one file each, thin; what they say comes from `mapping.outputs`, what they do from `mapping.pipeline`."""
