#!/usr/bin/env python3
"""A strict stand-in for object stores: listings and objects of Google Cloud Storage and of S3.

What: GET of the JSON API (objects.list, objects.get with alt=media) with a bearer token, and GET of
ListObjectsV2 and of objects with Signature Version 4, which is computed here once more.
Why: directories of runs lie in such stores (a run of Levanter names its folder as gs:// or s3://);
a signature that the real store refuses has to be refused here.
What it does not do: no uploads, no versions, no folders of its own, no regions but the one given.
Source: the vendors' reference pages of objects.list, ListObjectsV2 and Signature Version 4.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import urllib.parse
import xml.sax.saxutils

import double
import shape
from exchange import Answer, Rejected
from wandb_storage import partial

AUTHORIZATION = re.compile(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, "
                           r"SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})")
SEED = shape.Record("folder", {"folder": shape.Text(4000), "prefix": shape.Text(1000, low=0)})


def refuse(why, status=403):
    raise Rejected(why, Answer(status, f"<Error><Code>Refused</Code><Message>{status}</Message>"
                                       "</Error>", content_type="application/xml"))


def mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def canonical_query(text):
    """The query in the form that is signed; it has to be in that form already."""
    pairs = sorted(urllib.parse.parse_qsl(text, keep_blank_values=True))
    return "&".join(f"{urllib.parse.quote(k, safe='-_.~')}={urllib.parse.quote(v, safe='-_.~')}"
                    for k, v in pairs)


class BucketService(double.Service):
    """One bucket, named "b", seen through both interfaces."""

    def __init__(self, options):
        super().__init__(options)
        self.options, self.objects = options, {}

    def control(self, name, document):
        if name != "seed":
            raise KeyError(name)
        SEED.check(document)
        root = pathlib.Path(document["folder"])
        for path in sorted(root.rglob("*")):
            if path.is_file():
                key = document.get("prefix", "") + path.relative_to(root).as_posix()
                self.objects[key] = path.read_bytes()

    def answer(self, request):
        if request.method != "GET":
            refuse(f"{request.method} of a bucket", 405)
        if request.path.startswith("/storage/v1/b/"):
            return self.answer_gs(request)
        return self.answer_s3(request)

    def page(self, prefix, token):
        """Keys of one page, and the token of the next."""
        keys = [key for key in sorted(self.objects)
                if key.startswith(prefix) and key > (token or "")]
        size = self.options.page_cap
        return keys[:size], keys[size - 1] if len(keys) > size else None

    # ---- Google Cloud Storage ----

    def answer_gs(self, request):
        if self.options.token and request.header("authorization") != f"Bearer {self.options.token}":
            refuse("no bearer token, or another one", 401)
        bucket, _, name = request.path.removeprefix("/storage/v1/b/").partition("/o")
        if bucket != "b":
            refuse("there is no such bucket", 404)
        if name:
            if request.parameter("alt") != "media":
                refuse("an object without alt=media", 400)
            return self.object(request, urllib.parse.unquote(name[1:]))
        keys, token = self.page(request.parameter("prefix") or "", request.parameter("pageToken"))
        items = [{"name": key, "size": str(len(self.objects[key])), "md5Hash": base64.b64encode(
            hashlib.md5(self.objects[key]).digest()).decode()} for key in keys]
        return Answer(200, {"items": items, **({"nextPageToken": token} if token else {})})

    def object(self, request, key):
        if key not in self.objects:
            refuse(f"there is no object {key}", 404)
        return partial(request, self.objects[key])

    # ---- S3 ----

    def check_signature(self, request):
        match = AUTHORIZATION.fullmatch(request.header("authorization") or "")
        if not match:
            refuse(f"Authorization is no signature: {request.header('authorization')}")
        key, day, region, names, signature = match.groups()
        if (key, region) != (self.options.access_key, "eu-test-1"):
            refuse(f"another access key or region: {key}, {region}")
        if self.options.session and (request.header("x-amz-security-token") != self.options.session
                                     or "x-amz-security-token" not in names.split(";")):
            refuse("the session token is missing, another one, or not signed")
        time_text = request.header("x-amz-date") or ""
        payload = request.header("x-amz-content-sha256")
        if payload != hashlib.sha256(b"").hexdigest() or "x-amz-content-sha256" not in names:
            refuse("x-amz-content-sha256 is missing, of another body, or not signed")
        headers = "".join(f"{name}:{request.header(name)}\n" for name in names.split(";"))
        canonical = "\n".join(("GET", request.path, canonical_query(request.query_text), headers,
                               names, payload))
        scope = f"{day}/{region}/s3/aws4_request"
        text = "\n".join(("AWS4-HMAC-SHA256", time_text, scope,
                          hashlib.sha256(canonical.encode()).hexdigest()))
        secret = b"AWS4" + self.options.secret_key.encode()
        for part in (day, region, "s3", "aws4_request"):
            secret = mac(secret, part)
        if mac(secret, text).hex() != signature or not time_text.startswith(day):
            refuse("SignatureDoesNotMatch")

    def answer_s3(self, request):
        if self.options.access_key:
            self.check_signature(request)
        bucket, slash, key = request.path[1:].partition("/")
        if bucket != "b":
            refuse("there is no such bucket", 404)
        if slash:
            return self.object(request, urllib.parse.unquote(key))
        if request.parameter("list-type") != "2":
            refuse("a listing without list-type=2", 400)
        keys, token = self.page(request.parameter("prefix") or "",
                                request.parameter("continuation-token"))
        contents = "".join(f"<Contents><Key>{xml.sax.saxutils.escape(key)}</Key><ETag>x</ETag>"
                           f"<Size>{len(self.objects[key])}</Size></Contents>" for key in keys)
        more = (f"<NextContinuationToken>{xml.sax.saxutils.escape(token)}"
                "</NextContinuationToken>") if token else ""
        return Answer(200, f'<?xml version="1.0"?><ListBucketResult xmlns="s3"><Name>b</Name>{more}'
                           f"{contents}</ListBucketResult>", content_type="application/xml")

    def state(self):
        return json.loads(json.dumps({"keys": sorted(self.objects)}))


def add_options(parser):
    parser.add_argument("--token", metavar="TOKEN", help="the bearer token; without, all may read")
    parser.add_argument("--access-key", metavar="KEY", help="of S3; without, all may read")
    parser.add_argument("--secret-key", metavar="KEY", default="")
    parser.add_argument("--session", metavar="TOKEN", help="the session token that S3 wants")
    parser.add_argument("--page-cap", type=int, default=1000, metavar="N")


if __name__ == "__main__":
    double.main(BucketService, __doc__, add_options)
