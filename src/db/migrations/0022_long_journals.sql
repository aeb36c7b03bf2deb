-- The index of the lines of a long run, filled when it is first read: what its numbers and its verdict depend on.
alter table diorama.calls
  add column ids text[],
  -- In milliseconds since 1970.
  add column answered float8[],
  -- JSON text: [via, name].
  add column called text[],
  -- JSON text: [whether it failed, status, error, fault].
  add column outcomes text[],
  -- MD5 of the arguments as JSON text.
  add column hashes text[];
