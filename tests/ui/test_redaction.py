"""Secrets, the user's name and the path of their home are taken out of what is copied."""

import pytest

from ui.redaction import redact


class TestRedaction:
    @pytest.mark.parametrize(
        "secret",
        [
            "api_key = abcdefgh12345678",
            "Authorization: Bearer abcdefgh12345678",
            "https://user:abcdefgh12345678@host/v1",
            "sk-abcdefgh12345678",
            "hf_abcdefgh12345678",
            'token: "abcdefgh12345678"',
            "PASSWORD=abcdefgh12345678",
        ],
    )
    def test_secrets_are_taken_out(self, secret: str) -> None:
        assert "abcdefgh12345678" not in redact(f"before {secret} after")
        assert "before " in redact(f"before {secret} after")

    def test_the_home_directory_becomes_a_tilde(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", "/home/margaret")
        assert redact("/home/margaret/x and /mnt/margaret/y") == "~/x and /mnt/user/y"

    @pytest.mark.parametrize(
        "text", ["tokens: 123 of 456", "SHA-256 " + "a" * 64, "steward config set model.context_length 2048"]
    )
    def test_harmless_text_stays(self, text: str) -> None:
        assert redact(text) == text
