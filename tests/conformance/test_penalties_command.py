"""`paiju rules penalties` in each profile, beside other verbs or alone."""

import json

import pytest
import typer
from typer.testing import CliRunner

from paiju.commands.penalties import register
from paiju.rules.penalties import offences


def app_with(*existing: str) -> typer.Typer:
    app = typer.Typer()
    app.callback()(lambda: None)
    for name in existing:
        group = typer.Typer()
        group.command("show")(lambda: typer.echo("shown"))
        app.add_typer(group, name=name)
    register(app)
    return app


@pytest.mark.parametrize("existing", [(), ("rules",), ("other",)])
@pytest.mark.parametrize("profile", ["mcr1998", "mcr", "competitive"])
def test_lists_every_offence(existing, profile):
    result = CliRunner().invoke(app_with(*existing), ["rules", "penalties", profile, "--json"])
    assert result.exit_code == 0
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["id"] for row in rows] == list(offences(profile))
    assert all(row["article"] and row["name"]["zh_Hant"] for row in rows)


def test_the_table_is_readable():
    result = CliRunner().invoke(app_with(), ["rules", "penalties"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert "warning, 5, 10, 20, 30" in result.stdout
    assert "each other player" in result.stdout


def test_an_existing_group_keeps_its_verbs():
    assert CliRunner().invoke(app_with("rules"), ["rules", "show"]).stdout == "shown\n"


def test_unknown_rules_are_refused_in_one_sentence():
    result = CliRunner().invoke(app_with(), ["rules", "penalties", "riichi"])
    assert result.exit_code == 2
    assert "Unknown rules 'riichi': use one of" in result.stderr
    assert "Traceback" not in result.output
