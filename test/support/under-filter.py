"""Becomes a command under SystemCallFilter= and RestrictAddressFamilies= of a systemd unit, as systemd sets them: python3 under-filter.py <filter> <families> <command>..."""

import ctypes
import errno
import os
import socket
import subprocess
import sys

ALLOW, ERRNO, EQUAL = 0x7FFF0000, 0x00050000, 4


class Compare(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def calls_of(name):
    if not name.startswith("@"):
        return {name}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
    lines = [line.strip() for line in listed.stdout.splitlines()[1:]]
    return {call for line in lines if line and not line.startswith("#") for call in calls_of(line)}


lib = ctypes.CDLL("libseccomp.so.2", use_errno=True)
lib.seccomp_init.restype = ctypes.c_void_p
allowed = {call for name in sys.argv[1].split() for call in calls_of(name)}
families = [getattr(socket, name) for name in sys.argv[2].split()]
context = ctypes.c_void_p(lib.seccomp_init(ctypes.c_uint32(ERRNO | errno.EPERM)))
for call in allowed:
    number = lib.seccomp_syscall_resolve_name(call.encode())
    # Calls of other architectures have no number.
    if number < 0:
        continue
    if call != "socket":
        lib.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0)
    for family in families if call == "socket" else []:
        equal = (Compare * 1)(Compare(0, EQUAL, family, 0))
        lib.seccomp_rule_add_array(context, ctypes.c_uint32(ALLOW), number, 1, equal)
failed = lib.seccomp_load(context)
if failed != 0:
    sys.exit(f"the filter could not be loaded: {os.strerror(-failed)}")
os.execvp(sys.argv[3], sys.argv[3:])
