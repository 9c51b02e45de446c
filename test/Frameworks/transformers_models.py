# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models of the Transformers library, with random weights.

`ARCHITECTURES` has, by name, the class, the configuration, the arguments of a
call, and how many attentions the model has.
"""

import os
from typing import Any, Callable, Dict, NamedTuple, Tuple

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers as hf
from transformers.models.whisper.modeling_whisper import WhisperEncoder

LENGTH = 24
DECODER = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
               intermediate_size=128, vocab_size=100, max_position_embeddings=64)
GROUPED = dict(DECODER, num_key_value_heads=2)
VISION = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
              intermediate_size=128, image_size=32, patch_size=8)


class Architecture(NamedTuple):
    model: Callable[[Any], torch.nn.Module]
    config: Callable[[], Any]
    arguments: Callable[[], Dict[str, torch.Tensor]]
    attentions: int = 2


def tokens(length: int = LENGTH) -> torch.Tensor:
    return torch.randint(5, 95, (2, length))


def text() -> Dict[str, torch.Tensor]:
    return {"input_ids": tokens(), "use_cache": False}


def padded() -> Dict[str, torch.Tensor]:
    """A batch whose second sequence is shorter."""
    mask = torch.ones(2, LENGTH, dtype=torch.long)
    mask[1, 15:] = 0
    return {"input_ids": tokens(), "attention_mask": mask}


def translation() -> Dict[str, torch.Tensor]:
    return {"input_ids": tokens(), "decoder_input_ids": tokens(10),
            "use_cache": False}


def image() -> Dict[str, torch.Tensor]:
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


def of(model: Any, config: Any, arguments: Callable, attentions: int = 2,
       **settings: Any) -> Architecture:
    return Architecture(model, lambda: config(**settings), arguments, attentions)


ARCHITECTURES: Dict[str, Architecture] = {
    "BERT": of(hf.BertModel, hf.BertConfig, padded, **DECODER),
    "RoBERTa": of(hf.RobertaModel, hf.RobertaConfig, padded, **DECODER),
    "DistilBERT": of(
        hf.DistilBertModel, hf.DistilBertConfig, padded, dim=64, n_layers=2,
        n_heads=4, hidden_dim=128, vocab_size=100, max_position_embeddings=64),
    "ModernBERT": of(
        hf.ModernBertModel, hf.ModernBertConfig, padded, **DECODER,
        global_attn_every_n_layers=2, local_attention=8, pad_token_id=0),
    "DeBERTa-v2": of(
        hf.DebertaV2Model, hf.DebertaV2Config, padded, **DECODER,
        relative_attention=True, pos_att_type=["p2c", "c2p"]),
    "T5": of(hf.T5Model, hf.T5Config, translation, 6, d_model=64, d_kv=16,
             d_ff=128, num_layers=2, num_heads=4, vocab_size=100),
    "BART": of(
        hf.BartModel, hf.BartConfig, translation, 6, d_model=64,
        encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128,
        vocab_size=100, max_position_embeddings=64),
    "GPT-2": of(hf.GPT2Model, hf.GPT2Config, text, n_embd=64, n_layer=2,
                n_head=4, vocab_size=100, n_positions=64),
    "GPT-NeoX": of(hf.GPTNeoXModel, hf.GPTNeoXConfig, text, **DECODER),
    "OPT": of(
        hf.OPTModel, hf.OPTConfig, text, hidden_size=64, num_hidden_layers=2,
        num_attention_heads=4, ffn_dim=128, vocab_size=100,
        max_position_embeddings=64, word_embed_proj_dim=64),
    "BLOOM": of(hf.BloomModel, hf.BloomConfig, text, hidden_size=64, n_layer=2,
                n_head=4, vocab_size=100),
    "MPT": of(hf.MptModel, hf.MptConfig, text, d_model=64, n_heads=4,
              n_layers=2, vocab_size=100, max_seq_len=64),
    "Phi": of(hf.PhiModel, hf.PhiConfig, text, **DECODER),
    "Llama": of(hf.LlamaModel, hf.LlamaConfig, text, **GROUPED),
    "Mistral": of(hf.MistralModel, hf.MistralConfig, text, **GROUPED,
                  sliding_window=8),
    "Qwen2": of(hf.Qwen2Model, hf.Qwen2Config, text, **GROUPED),
    "Qwen3": of(hf.Qwen3Model, hf.Qwen3Config, text, **GROUPED, head_dim=16),
    "Gemma 2": of(hf.Gemma2Model, hf.Gemma2Config, text, **GROUPED, head_dim=16,
                  sliding_window=8, query_pre_attn_scalar=16),
    "Gemma 3": of(hf.Gemma3TextModel, hf.Gemma3TextConfig, text, **GROUPED,
                  head_dim=16, sliding_window=8, query_pre_attn_scalar=16),
    "GPT-J": of(hf.GPTJModel, hf.GPTJConfig, text, n_embd=64, n_layer=2,
                n_head=4, vocab_size=100, n_positions=64, rotary_dim=8),
    "GPT-Neo": of(
        hf.GPTNeoModel, hf.GPTNeoConfig, text, hidden_size=64, num_layers=2,
        num_heads=4, attention_types=[[["global", "local"], 1]], window_size=8,
        vocab_size=100, max_position_embeddings=64),
    "Falcon": of(
        hf.FalconModel, hf.FalconConfig, text, hidden_size=64,
        num_hidden_layers=2, num_attention_heads=4, vocab_size=100, alibi=True),
    "Phi-3": of(hf.Phi3Model, hf.Phi3Config, text, **GROUPED, pad_token_id=0),
    "DeepSeek-V3": of(
        hf.DeepseekV3Model, hf.DeepseekV3Config, text, **DECODER,
        num_key_value_heads=4, first_k_dense_replace=2, q_lora_rank=32,
        kv_lora_rank=32, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=16),
    "ALBERT": of(hf.AlbertModel, hf.AlbertConfig, padded, **DECODER,
                 embedding_size=32),
    "MPNet": of(hf.MPNetModel, hf.MPNetConfig, padded, **DECODER),
    "XLNet": of(hf.XLNetModel, hf.XLNetConfig, padded, d_model=64, n_layer=2,
                n_head=4, d_inner=128, vocab_size=100),
    "CLIP, text": of(hf.CLIPTextModel, hf.CLIPTextConfig, padded, **DECODER),
    "Swin": of(
        hf.SwinModel, hf.SwinConfig, image, image_size=32, patch_size=4,
        embed_dim=32, depths=[2], num_heads=[2], window_size=4),
    "ViT": of(hf.ViTModel, hf.ViTConfig, image, **VISION),
    "DINOv2": of(hf.Dinov2Model, hf.Dinov2Config, image,
                 **dict(VISION, mlp_ratio=2)),
    "CLIP, vision": of(hf.CLIPVisionModel, hf.CLIPVisionConfig, image, **VISION),
    "SigLIP, vision": of(hf.SiglipVisionModel, hf.SiglipVisionConfig, image,
                         **VISION),
    "Whisper, encoder": of(
        WhisperEncoder, hf.WhisperConfig,
        lambda: {"input_features": torch.randn(2, 8, 64)}, d_model=64,
        encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=128,
        num_mel_bins=8, max_source_positions=32, vocab_size=100, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1),
    "wav2vec 2.0": of(
        hf.Wav2Vec2Model, hf.Wav2Vec2Config,
        lambda: {"input_values": torch.randn(2, 800)}, hidden_size=64,
        num_hidden_layers=2, num_attention_heads=4, intermediate_size=128,
        conv_dim=(16, 16), conv_stride=(5, 4), conv_kernel=(10, 8),
        num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4),
}


def ways(name: str) -> Tuple[str, ...]:
    """Returns how the library computes a model's attention."""
    # torch.export does not take BART's eager one.
    return (("sdpa",) if name == "BART" else
            ("sdpa", "eager") if ARCHITECTURES[name].model._supports_sdpa else
            ("eager",))


class Called(torch.nn.Module):
    """A model as a function of the tensors among its arguments."""

    def __init__(self, model: torch.nn.Module, arguments: Dict[str, Any]):
        super().__init__()
        self.model = model
        self.names = [name for name, value in arguments.items()
                      if isinstance(value, torch.Tensor)]
        self.settings = {name: value for name, value in arguments.items()
                         if not isinstance(value, torch.Tensor)}

    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return self.model(**dict(zip(self.names, tensors)), **self.settings)[0]


def build(name: str, attention: str
          ) -> Tuple[torch.nn.Module, Tuple[torch.Tensor, ...]]:
    """Returns a model and tensors to call it with; `attention` is how the
    library computes it, "sdpa" or "eager"."""
    torch.manual_seed(3)
    architecture = ARCHITECTURES[name]
    config = architecture.config()
    config._attn_implementation = attention
    model = architecture.model(config).eval()
    arguments = architecture.arguments()
    called = Called(model, arguments)
    return called, tuple(arguments[name] for name in called.names)
