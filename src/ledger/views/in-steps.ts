/** Asks for step after step, each with the cursor that the one before gave, until one gives none. */
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
