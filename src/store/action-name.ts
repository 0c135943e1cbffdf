// The name of an action without its version, by which actions are found over all versions.

/** `namespace/name` of `namespace/name@version`. */
export function actionNameOf(action: string): string {
  const at = action.lastIndexOf('@')
  return at === -1 ? action : action.slice(0, at)
}
