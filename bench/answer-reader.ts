const headEnd = Buffer.from('\r\n\r\n')

/** Reads the answers of one connection, one after the other: hand it each chunk, it gives the status once an answer has come whole. */
export function answerReader(): (chunk: Buffer) => number | undefined {
  let pending: Buffer = Buffer.alloc(0)
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    const status = readAnswer(pending)
    if (status !== undefined) pending = Buffer.alloc(0)
    return status
  }
}

/** The status of an answer that has come whole; every server here states its length. */
function readAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  return bytes.length >= end + headEnd.length + length ? Number(head.slice(9, 12)) : undefined
}
