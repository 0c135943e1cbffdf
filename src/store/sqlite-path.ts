// The path of a SQLite file: refused where the driver would take it for something else.

/** The driver would take these for something else than the path of a file, or for the path without its spaces. @throws TypeError, which begins with what is kept there */
export function demandFilePath(path: unknown, what: string): void {
  if (
    typeof path !== 'string' ||
    path === '' ||
    path === ':memory:' ||
    path.startsWith('file:') ||
    path.trim() !== path
  ) {
    throw new TypeError(`${what} is kept in a file, which is named by its path`)
  }
}
