"""Turns the layers of a Keras model into an ONNX graph.

The graph takes pictures as bytes, `[n, 224, 224, 3]`, and gives `[n, 5]` probabilities. Keras has
channels last and ONNX second, so kernels are transposed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from scripts.vision.package import Layer, Package

INPUT, OUTPUT = "pixels", "probabilities"
SIDE, CLASSES = 224, 5
_OPSET, _IR = 17, 8


def onnx_model(package: Package) -> onnx.ModelProto:
    graph = _Graph(package.weights)
    for layer in package.layers:
        graph.add(layer)
    names = [node.output[0] for node in graph.nodes]
    graph.nodes[-1].output[0] = OUTPUT
    assert len(set(names)) == len(names)
    made = helper.make_graph(
        graph.nodes,
        "picture-rating",
        [helper.make_tensor_value_info(INPUT, TensorProto.UINT8, ["n", SIDE, SIDE, 3])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["n", CLASSES])],
        graph.constants,
    )
    opset = helper.make_opsetid("", _OPSET)
    model = helper.make_model(
        made, opset_imports=[opset], producer_name="greenroom", ir_version=_IR
    )
    source = f"MobileNetV2 of nsfwjs {package.version}"
    helper.set_model_props(model, {"source": source, "license": package.license})
    onnx.checker.check_model(model, full_check=True)
    return model


class _Graph:
    def __init__(self, weights: Mapping[str, npt.NDArray[np.float32]]) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._weights = weights
        self._outputs: dict[str, str] = {}
        """By layer: the name of what it gives."""

    def add(self, layer: Layer) -> None:
        inputs = [self._outputs[name] for name in layer.inputs]
        match layer.kind:
            case "InputLayer":
                output = self._input(layer)
            case "Dropout":  # only in training
                [output] = inputs
            case "ZeroPadding2D":
                output = self._padding(layer, inputs)
            case "Conv2D" | "DepthwiseConv2D":
                output = self._convolution(layer, inputs)
            case "BatchNormalization":
                output = self._normalization(layer, inputs)
            case "ReLU":
                output = self._relu(layer, inputs)
            case "Add":
                output = self._node("Add", layer.name, inputs)
            case "AveragePooling2D":
                output = self._pooling(layer, inputs)
            case "Flatten":  # one pixel is left, so the order of channels does not matter
                output = self._node("Flatten", layer.name, inputs)
            case "Dense":
                output = self._dense(layer, inputs)
            case _:
                raise NotImplementedError(layer.kind)
        self._outputs[layer.name] = output

    def _input(self, layer: Layer) -> str:
        real = self._node("Cast", f"{layer.name}/real", [INPUT], to=TensorProto.FLOAT)
        most = self._constant("255", np.array(255, np.float32))
        scaled = self._node("Div", f"{layer.name}/scaled", [real, most])
        return self._node("Transpose", layer.name, [scaled], perm=[0, 3, 1, 2])

    def _padding(self, layer: Layer, inputs: list[str]) -> str:
        (top, bottom), (left, right) = layer.config["padding"]
        pads = np.array([0, 0, top, left, 0, 0, bottom, right], np.int64)
        return self._node("Pad", layer.name, [*inputs, self._constant(f"{layer.name}/pads", pads)])

    def _convolution(self, layer: Layer, inputs: list[str]) -> str:
        config = layer.config
        assert config["dilation_rate"] == [1, 1]
        assert config["activation"] == "linear"
        assert not config["use_bias"]
        if layer.kind == "Conv2D":
            kernel = self._weights[f"{layer.name}/kernel"].transpose(3, 2, 0, 1)
            group = 1
        else:
            kernel = self._weights[f"{layer.name}/depthwise_kernel"].transpose(2, 3, 0, 1)
            group = kernel.shape[0]
        return self._node(
            "Conv",
            layer.name,
            [*inputs, self._constant(f"{layer.name}/kernel", kernel)],
            group=group,
            kernel_shape=config["kernel_size"],
            strides=config["strides"],
            pads=_pads(config["padding"], config["kernel_size"], config["strides"]),
        )

    def _normalization(self, layer: Layer, inputs: list[str]) -> str:
        names = ("gamma", "beta", "moving_mean", "moving_variance")
        own = [
            self._constant(f"{layer.name}/{name}", self._weights[f"{layer.name}/{name}"])
            for name in names
        ]
        epsilon = layer.config["epsilon"]
        return self._node("BatchNormalization", layer.name, [*inputs, *own], epsilon=epsilon)

    def _relu(self, layer: Layer, inputs: list[str]) -> str:
        config = layer.config
        assert (config["negative_slope"], config["threshold"]) == (0, 0)
        least = self._constant(f"{layer.name}/least", np.array(0, np.float32))
        most = self._constant(f"{layer.name}/most", np.array(config["max_value"], np.float32))
        return self._node("Clip", layer.name, [*inputs, least, most])

    def _pooling(self, layer: Layer, inputs: list[str]) -> str:
        config = layer.config
        assert config["padding"] == "valid"
        size, strides = config["pool_size"], config["strides"]
        return self._node("AveragePool", layer.name, inputs, kernel_shape=size, strides=strides)

    def _dense(self, layer: Layer, inputs: list[str]) -> str:
        own = [
            self._constant(f"{layer.name}/{name}", self._weights[f"{layer.name}/{name}"])
            for name in ("kernel", "bias")
        ]
        activation = {"relu": "Relu", "softmax": "Softmax"}[layer.config["activation"]]
        product = self._node("Gemm", f"{layer.name}/product", [*inputs, *own])
        return self._node(activation, layer.name, [product])

    def _node(self, kind: str, name: str, inputs: list[str], **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def _constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name


def _pads(padding: str, kernel: list[int], strides: list[int]) -> list[int]:
    """`same` pads both sides alike only if the kernel is odd and the stride 1."""
    if padding == "valid":
        return [0, 0, 0, 0]
    assert padding == "same"
    assert strides == [1, 1]
    assert all(side % 2 for side in kernel)
    return [side // 2 for side in kernel] * 2
