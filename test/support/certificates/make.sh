#!/bin/sh
# Makes every certificate here anew, valid for a hundred years. They are for tests alone: their keys are public.
#
#   authority.crt         whom the tests trust
#   other-authority.crt   whom the server's certificate is not from
#   server.crt, .key      PostgreSQL's, for the name localhost and no address
#   client.crt, .key      a caller's, for the PostgreSQL user roster
set -eu
cd "$(dirname "$0")"

authority() { # file, name
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=$2" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout "$1.key" -out "$1.crt"
}

certificate() { # file, name, extensions
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$2" -keyout "$1.key" -out "$1.csr"
  printf '%s\n' "$3" >"$1.ext"
  openssl x509 -req -days 36500 -in "$1.csr" -CA authority.crt -CAkey authority.key -CAcreateserial \
    -extfile "$1.ext" -out "$1.crt"
  rm "$1.csr" "$1.ext"
}

authority authority "Roster's tests"
authority other-authority "Somebody else"
certificate server localhost "subjectAltName=DNS:localhost"
certificate client roster "extendedKeyUsage=clientAuth"

# Nothing else is ever to be signed by them.
rm authority.key authority.srl other-authority.key
