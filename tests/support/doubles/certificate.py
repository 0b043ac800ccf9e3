"""Certificates for a double that speaks TLS: a good one and three bad ones.

What: makes them with the openssl command in a folder of its own and returns a server context.
Why: a client must refuse each bad kind (ops/net/README.md, rule 3); without the good one, a client
that refuses everything would pass as well.
What it does not do: nothing is cached or committed; keys live as long as the double.
"""

import os
import ssl
import subprocess

TRUSTED, SELF_SIGNED, WRONG_NAME, EXPIRED = "trusted", "self-signed", "wrong-name", "expired"
KINDS = (TRUSTED, SELF_SIGNED, WRONG_NAME, EXPIRED)
OWN_NAMES = "DNS:localhost,IP:127.0.0.1"
# openssl ca is the only command of OpenSSL 3.0 that sets both ends of the validity by hand.
AUTHORITY_CONFIGURATION = """
[ca]
default_ca = own
[own]
database = index.txt
serial = serial.txt
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
"""


def openssl(folder, *arguments):
    done = subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=60)
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr.strip()}")


def make_key_and_request(folder, name, names):
    openssl(folder, "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}",
            "-addext", f"subjectAltName={names}")


def make_authority(folder):
    """A certificate authority of our own; its certificate is authority.crt."""
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-keyout", "authority.key", "-out", "authority.crt", "-days", "2",
            "-subj", "/CN=authority of a test double",
            "-addext", "basicConstraints=critical,CA:TRUE")
    for name, text in (("authority.cnf", AUTHORITY_CONFIGURATION), ("index.txt", ""),
                       ("serial.txt", "1000\n")):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write(text)


def sign(folder, name, *validity):
    openssl(folder, "ca", "-batch", "-notext", "-config", "authority.cnf", "-cert",
            "authority.crt", "-keyfile", "authority.key", "-in", f"{name}.csr", "-out",
            f"{name}.crt", *validity)


def make(folder, kind):
    """Returns a server context with a certificate of that kind. The authority that a client may be
    told to trust is at authority.crt in the folder, for every kind."""
    make_authority(folder)
    names = "DNS:elsewhere.invalid" if kind == WRONG_NAME else OWN_NAMES
    make_key_and_request(folder, "server", names)
    if kind == SELF_SIGNED:
        openssl(folder, "req", "-x509", "-key", "server.key", "-out", "server.crt", "-days", "2",
                "-subj", "/CN=server", "-addext", f"subjectAltName={names}")
    elif kind == EXPIRED:
        sign(folder, "server", "-startdate", "20200101000000Z", "-enddate", "20200201000000Z")
    else:
        sign(folder, "server", "-days", "2")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(os.path.join(folder, "server.crt"), os.path.join(folder, "server.key"))
    return context
