#!/bin/sh
# Creates all certificates in this folder, valid for 100 years. For tests only: the private keys are public.
#
#   authority.crt         the authority that tests trust
#   other-authority.crt   an authority that signed none of the certificates
#   server.crt, .key      the server's, for the host name localhost and no IP address
#   client.crt, .key      the client's, for the PostgreSQL user roster
#   rsa-server.crt, .key  a self-signed RSA certificate for localhost: only RSA allows ciphers without forward secrecy
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
openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj "/CN=localhost" \
  -addext "subjectAltName=DNS:localhost" -keyout rsa-server.key -out rsa-server.crt

# Without these keys, nobody can sign more certificates.
rm authority.key authority.srl other-authority.key
