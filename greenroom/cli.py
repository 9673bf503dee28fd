"""The command line. A Problem is printed to stderr without a traceback, with exit code 2."""

import argparse
import json
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import uvloop

from greenroom import (
    __version__,
    app,
    audit_commands,
    background_cli,
    backup,
    doctor,
    open_store,
    policy_file,
    restore,
    serve,
    staff_commands,
    token_signing,
)
from greenroom.api.registry import Registry
from greenroom.errors import Problem
from greenroom.people.actor import Scope, StaffRole
from greenroom.settings import Settings, read_settings, variable_of
from greenroom.store import describe

_MOST_HOURS = 24 * 365


def main(argv: Sequence[str] | None = None, registry: Registry = app.REGISTRY) -> int:
    arguments = _parser(registry).parse_args(argv)
    os.umask(0o077)  # files hold conversations and secrets: only the owner may read them
    try:
        code: int | None = arguments.command(arguments)
        sys.stdout.flush()
    except Problem as problem:
        print(f"greenroom: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader closed the pipe. Flushing the rest must not fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code or 0


def _parser(registry: Registry) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="greenroom",
        description="A conversation backend for marketplaces. Settings are read from the "
        "environment; docs/reference/settings.md lists them.",
    )
    parser.add_argument("--version", action="version", version=f"greenroom {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="run the server")
    serve.add_argument(
        "--create-tables", action="store_true", help="create missing DynamoDB tables"
    )
    serve.set_defaults(command=_serve)

    demo = commands.add_parser("demo", help="run the server with sample people and data")
    demo.set_defaults(command=_demo)

    token = commands.add_parser("token", help="print a token for a user, for development")
    token.add_argument("user", metavar="USER", help="a username, or an id")
    token.add_argument(
        "--scope",
        action="append",
        choices=[Scope.USER, Scope.SERVICE],
        help="scope of the token (default: user; may be repeated)",
    )
    token.add_argument("--hours", type=_hours, default=12, help="lifetime in hours (default: 12)")
    token.add_argument("--demo", action="store_true", help="for the data of `greenroom demo`")
    token.set_defaults(command=_token)

    _add_staff(commands)

    tables = commands.add_parser("tables", help="print the tables of the item store")
    tables.add_argument("--format", choices=("text", "cloudformation"), default="text")
    tables.set_defaults(command=_tables)

    cost = commands.add_parser("cost", help="measure the DynamoDB cost of each access pattern")
    cost.add_argument("--format", choices=("text", "json"), default="text")
    cost.set_defaults(command=_cost)

    policy = commands.add_parser(
        "policy", help="check the policy file, and print the policy in force as TOML"
    )
    policy.set_defaults(command=_policy)

    check = commands.add_parser(
        "doctor",
        help="check store, SQL, bus, clock, followers, timers and disk, and say what to do",
    )
    check.add_argument("--demo", action="store_true", help="for the data of `greenroom demo`")
    check.set_defaults(command=_doctor)

    background_cli.add_to(commands, _store_of, registry)

    audit = commands.add_parser("audit", help="check the records of bookings and their money")
    acts = audit.add_subparsers(required=True, metavar="ACT")
    verify = acts.add_parser(
        "verify", help="check every audit chain, journal, card and leg, also while a server runs"
    )
    verify.add_argument("--demo", action="store_true", help="for the data of `greenroom demo`")
    verify.set_defaults(command=_verify)

    copy = commands.add_parser(
        "backup", help="copy items, SQL and files into a new folder, also while the server runs"
    )
    copy.add_argument("folder", type=Path, metavar="FOLDER")
    copy.set_defaults(command=_backup)

    back = commands.add_parser("restore", help="restore a backup into an empty data folder")
    back.add_argument("folder", type=Path, metavar="FOLDER")
    back.set_defaults(command=_restore)
    return parser


def _add_staff(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    staff = commands.add_parser("staff", help="grant and revoke staff roles, and list staff")
    acts = staff.add_subparsers(required=True, metavar="ACT")
    grant = acts.add_parser("grant", help="give an account a staff role")
    grant.add_argument("user", metavar="USER", help="a username, or an id")
    grant.add_argument("role", choices=[str(role) for role in StaffRole])
    grant.set_defaults(command=_grant)
    revoke = acts.add_parser("revoke", help="remove an account's staff role")
    revoke.add_argument("user", metavar="USER", help="a username, or an id")
    revoke.set_defaults(command=_revoke)
    listed = acts.add_parser("list", help="print all staff accounts")
    listed.set_defaults(command=_list_staff)
    reinstate = commands.add_parser("reinstate", help="lift a suspension")
    reinstate.add_argument("user", metavar="USER", help="a username, or an id")
    reinstate.add_argument("--reason", default="", help="reason shown to the person")
    reinstate.set_defaults(command=_reinstate)
    for act in (grant, revoke, reinstate):
        act.add_argument("--note", default="by command line", help="for the audit log")
    for act in (grant, revoke, listed, reinstate):
        act.add_argument("--demo", action="store_true", help="for the data of `greenroom demo`")


def _store_of(arguments: argparse.Namespace) -> Settings:
    return open_store.for_demo(_read_settings()) if arguments.demo else _read_settings()


def _grant(arguments: argparse.Namespace) -> None:
    role = StaffRole(arguments.role)
    user = uvloop.run(
        staff_commands.grant(_store_of(arguments), arguments.user, role, arguments.note)
    )
    print(f"{user} is now {'an' if role is StaffRole.ADMIN else 'a'} {role}.")


def _revoke(arguments: argparse.Namespace) -> None:
    user = uvloop.run(staff_commands.revoke(_store_of(arguments), arguments.user, arguments.note))
    print(f"{user} has no staff role any more.")


def _list_staff(arguments: argparse.Namespace) -> None:
    for role, username, user in uvloop.run(staff_commands.list_staff(_store_of(arguments))):
        print(f"{role:<10} {username:<30} {user}")


def _reinstate(arguments: argparse.Namespace) -> None:
    settings = _store_of(arguments)
    user = uvloop.run(
        staff_commands.reinstate(settings, arguments.user, arguments.reason, arguments.note)
    )
    print(f"{user} is reinstated.")


def _serve(arguments: argparse.Namespace) -> None:
    settings = _settings()
    uvloop.run(
        serve.serve(
            settings,
            create_tables=arguments.create_tables,
            samples=False,
            tell=lambda address: print(f"Greenroom is at {address}", flush=True),
        )
    )


def _demo(_: argparse.Namespace) -> None:
    settings = open_store.for_demo(_settings())

    def tell(address: str) -> None:
        print(
            f"\nGreenroom is running, with sample people and data.\n\n"
            f"  Web app         {address}\n"
            f"  API reference   {address}/schema/docs\n"
            f"  Get a token     greenroom token maya --demo\n"
            f"  Data            {open_store.sqlite_path(settings) or 'the configured store'}\n\n"
            f"Ctrl-C stops the server. The data is kept for the next start.",
            flush=True,
        )

    uvloop.run(serve.serve(settings, create_tables=True, samples=True, tell=tell))


def _token(arguments: argparse.Namespace) -> None:
    settings = open_store.for_demo(_read_settings()) if arguments.demo else _read_settings()
    scopes = [Scope(name) for name in dict.fromkeys(arguments.scope or [Scope.USER])]
    print(uvloop.run(token_signing.token(settings, arguments.user, scopes, arguments.hours)))


def _hours(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_HOURS:
        raise argparse.ArgumentTypeError(f"a whole number from 1 to {_MOST_HOURS}")
    return int(text)


def _tables(arguments: argparse.Namespace) -> None:
    tables = app.REGISTRY.described_tables
    if arguments.format == "cloudformation":
        print(json.dumps(describe.cloudformation(tables), indent=2))
    else:
        print(describe.readable(tables), end="")


def _policy(_: argparse.Namespace) -> None:
    policy = policy_file.read(app.REGISTRY.policy, _read_settings().policy)
    print(policy_file.to_toml(policy), end="")


def _cost(arguments: argparse.Namespace) -> None:
    # Imported here: a running server does not need it in memory.
    from greenroom import cost

    found = uvloop.run(cost.on_a_fresh_file(cost.PATTERNS))
    if arguments.format == "json":
        print(cost.show.one_line(found))
    else:
        print(cost.show.text(found), end="")


def _doctor(arguments: argparse.Namespace) -> int:
    return uvloop.run(_examine(_store_of(arguments)))


async def _examine(settings: Settings) -> int:
    """Prints the findings. Returns the exit code."""
    failed = False
    async for finding in doctor.examine(settings):
        print(finding.line, flush=True)
        failed = failed or finding.level is doctor.Level.FAIL
    return int(failed)


def _verify(arguments: argparse.Namespace) -> int:
    checked = uvloop.run(audit_commands.verified(_store_of(arguments)))
    for line in audit_commands.lines_of(checked):
        print(line)
    return int(bool(checked.faults))


def _backup(arguments: argparse.Namespace) -> None:
    contents = backup.backup(_read_settings(), arguments.folder)
    print(f"Copied the data to {arguments.folder}")
    if not contents.sql:
        print(f"Not copied: the SQL database. If {variable_of('sql')} names one, copy it now.")
    if not contents.files:
        print("Not copied: the content of files. The bucket has its own versions and copies.")


def _restore(arguments: argparse.Namespace) -> None:
    settings = _read_settings()
    contents = restore.restore(settings, arguments.folder)
    uvloop.run(restore.heal(settings))
    print(f"Restored the backup of {contents.made_at} into {settings.data}")
    print("Put the `secret` of the old data folder back, or people have to sign in again.")


def _read_settings() -> Settings:
    return read_settings(groups=app.REGISTRY.settings)


def _settings() -> Settings:
    settings = _read_settings()
    logging.basicConfig(
        level=settings.log.upper(), format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    for name in ("uvicorn", "alembic"):
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.root.level))
    return settings
