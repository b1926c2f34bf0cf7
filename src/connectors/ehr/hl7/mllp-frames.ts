import { MllpFailed } from './mllp-failed.ts'

/** Start and end of a block (HL7 Minimal Lower Layer Protocol, release 1): VT, content, FS, CR. */
const start = 0x0b
const end = 0x1c

/** Largest answer that is read. Bytes. */
const maxBytes = 1_048_576

const httpAnswer = 'HTTP/'

/** A web server answers: no retry makes it a listener. */
export function isHttp(): MllpFailed {
  return new MllpFailed('a web server (HTTP) answers there, and no HL7 listener: check host and port', {
    isSettings: true,
  })
}

/** A message as a block. */
export function blockOf(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([start]), message, Buffer.from([end, 0x0d])])
}

/** Cuts the bytes of a connection into the contents of blocks, however they arrive. Bytes between blocks are passed over. Throws `MllpFailed` when a block grows too large. */
export function createBlockReader(): (bytes: Buffer) => Buffer[] {
  let open: Buffer | undefined
  return (bytes) => {
    const whole: Buffer[] = []
    let rest = bytes
    while (rest.length > 0) {
      if (open === undefined) {
        if (rest.toString('latin1', 0, httpAnswer.length) === httpAnswer) throw isHttp()
        const begins = rest.indexOf(start)
        if (begins === -1) break
        open = Buffer.alloc(0)
        rest = rest.subarray(begins + 1)
      }
      const ends = rest.indexOf(end)
      open = Buffer.concat([open, ends === -1 ? rest : rest.subarray(0, ends)])
      if (open.length > maxBytes) throw new MllpFailed('the listener sent an answer without an end')
      if (ends === -1) break
      whole.push(open)
      open = undefined
      rest = rest.subarray(ends + 1)
    }
    return whole
  }
}
