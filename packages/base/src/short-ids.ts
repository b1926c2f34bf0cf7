/** Fewer letters of a random id are hard to find again. */
const minEnding = 4

/** Makes the shortener of one session: `pa_req_spuugaqhvoc957tmud2k` becomes `pa…ud2k`, its kind and the shortest ending that no other id so far has. An id that would hardly get shorter stays whole. */
export function createShortIds(): (id: string) => string {
  /** The length of each id's ending. */
  const endings = new Map<string, number>()

  function meet(id: string): number {
    let own = minEnding
    for (const [other, length] of endings) {
      const needed = sharedEnding(id, other) + 1
      if (needed > length) endings.set(other, needed)
      if (needed > own) own = needed
    }
    endings.set(id, own)
    return own
  }

  return (id) => {
    const kind = /^[a-z]+/i.exec(id)?.[0] ?? ''
    const short = `${kind}…${id.slice(-(endings.get(id) ?? meet(id)))}`
    return short.length + 2 < id.length ? short : id
  }
}

/** Length of their common ending. */
function sharedEnding(one: string, other: string): number {
  let length = 0
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length += 1
  return length
}
