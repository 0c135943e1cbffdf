// Paging: the link to the next page, which is this request with another cursor.

/** The Link header of RFC 8288; empty at the end. Spec: http "Rules". */
export function nextLink(
  path: string,
  query: Readonly<Record<string, string | readonly string[] | number | undefined>>,
  cursor: { readonly name: string; readonly value: string | null },
): Readonly<Record<string, string>> {
  if (cursor.value === null) return {}
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, [cursor.name]: cursor.value })) {
    if (value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) search.append(name, String(one))
  }
  return { Link: `<${path}?${search.toString()}>; rel="next"` }
}
