"""Builds the ONNX model that rates pictures, from the npm package nsfwjs (MIT).

    python -m scripts.vision        builds it, unless it is there already

The package has the weights of MobileNetV2, each as one byte, in base64. They become a file that
`greenroom/files/vision` loads. It is not in git.
"""
