#!/usr/bin/env python3
"""Strict receivers of chat messages, pages and webhooks, all on one port, told apart by path.

What: hosts the receivers of this folder and picks one by the path of the request.
Why: one process serves a test with many destinations; each destination is limited by itself.
What it does not do: the rules are in slack.py, discord.py, teams.py, google_chat.py,
mattermost.py, standard_webhook.py and pagerduty.py; mail is in mail_server.py.
Source: README.md, which lists paths, credentials and what each one checks, too.
"""

import re

import discord
import double
import google_chat
import slack
import standard_webhook
from discord import Discord
from exchange import Answer, Rejected
from google_chat import GoogleChat
from mattermost import Mattermost
from pagerduty import PagerDuty
from slack import SlackApi, SlackWebhook
from standard_webhook import StandardWebhook
from teams import Teams

RECEIVERS = {
    "slack_webhook": SlackWebhook, "slack": SlackApi, "discord": Discord, "teams": Teams,
    "google_chat": GoogleChat, "mattermost": Mattermost, "webhook": StandardWebhook,
    "pagerduty": PagerDuty,
}


class ChatService(double.Service):
    """All receivers."""

    def __init__(self, options):
        super().__init__(options)
        self.receivers = {name: make(options) for name, make in RECEIVERS.items()}
        self.routes = [(method, re.compile(pattern), handler, name)
                       for name, receiver in self.receivers.items()
                       for method, pattern, handler in receiver.routes]

    def find(self, path):
        """(route, match) of every route that fits the path."""
        found = ((route, route[1].fullmatch(path)) for route in self.routes)
        return [(route, match) for route, match in found if match]

    def operations(self, request):
        return tuple(dict.fromkeys(route[3] for route, _ in self.find(request.path)))

    def destination(self, request):
        """A destination is one address; the methods of an API and the messages of a hook share
        theirs."""
        return re.sub(r"/messages/\d+$|(?<=/api/chat)\..*$", "", request.path)

    def refusal(self, request, status, wait_s):
        names = self.operations(request)
        if status == 429 and names:
            return self.receivers[names[0]].limited(1.0 if wait_s is None else wait_s)
        return super().refusal(request, status, wait_s)

    def answer(self, request):
        found = self.find(request.path)
        for (method, _, handler, _), match in found:
            if method == request.method:
                return handler(request, *match.groups())
        if found:
            raise Rejected(f"{request.method} is not for {request.path}", Answer(405, "no"))
        raise Rejected(f"there is no {request.path}", Answer(404, "no_service"))

    def state(self):
        return {name: receiver.state() for name, receiver in self.receivers.items()}


def add_options(parser):
    for option, default, what in (
            ("--slack-token", slack.TOKEN, "the bot's token"),
            ("--slack-channel", slack.CHANNEL, "the one channel that the bot is in"),
            ("--discord-token", discord.TOKEN, "the webhook's token"),
            ("--google-chat-token", google_chat.TOKEN, "the webhook's token")):
        parser.add_argument(option, default=default, help=f"{what} ({default})")
    parser.add_argument("--webhook-secret", action="append", metavar="whsec_…",
                        help=f"a signing secret; repeat while keys rotate "
                             f"({standard_webhook.SECRET})")


if __name__ == "__main__":
    double.main(ChatService, __doc__, add_options)
