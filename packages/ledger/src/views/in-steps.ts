/** Calls `ask` repeatedly, each time with the previous cursor, until it returns none. */
export async function* inSteps<Cursor, Step extends { cursor?: Cursor | undefined }>(
  ask: (cursor: Cursor | undefined) => Promise<Step>,
): AsyncGenerator<Step> {
  let cursor: Cursor | undefined
  do {
    const step = await ask(cursor)
    yield step
    cursor = step.cursor
  } while (cursor !== undefined)
}
