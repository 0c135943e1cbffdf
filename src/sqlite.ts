// The SQLite door: a durable store in one file.
export {}
