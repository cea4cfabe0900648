"""Runs the engine of the npm package `chdb` as a server, with its own HTTP and native interface.

Arguments: the library, the data directory, the configuration file.
"""

import ctypes
import sys

LISTEN = """
SYSTEM START LISTEN HTTP;
SYSTEM START LISTEN TCP;
SELECT sleepEachRow(1) FROM system.numbers FORMAT Null SETTINGS max_block_size = 1;
"""

library, path, config = sys.argv[1:]
arguments = ["clickhouse", "--path", path, "--config-file", config, "--query", LISTEN]
values = (ctypes.c_char_p * len(arguments))(*(value.encode() for value in arguments))
engine = ctypes.CDLL(library)
engine.chdb_query_cmdline.restype = ctypes.c_void_p
engine.chdb_result_error.argtypes = [ctypes.c_void_p]
engine.chdb_result_error.restype = ctypes.c_char_p
result = engine.chdb_query_cmdline(len(values), values)
sys.exit((engine.chdb_result_error(result) or b"ended").decode())
