import { MllpFailed } from './mllp-failed.ts'

/** Start and end of a block (HL7 Minimal Lower Layer Protocol, release 1): VT, content, FS, CR. */
const start = 0x0b
const end = 0x1c

/** Max bytes to read in answer to one message, framed or not: an acknowledgement has a few hundred, and 64 KiB parse within 150 ms. */
const maxBytes = 65_536

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

/** Reads what a listener sends in answer to one message. */
export interface AnswerReader {
  /** The contents of the blocks that end in these bytes; skips bytes between blocks. Throws `MllpFailed` above the size of any answer. */
  read(this: void, bytes: Buffer): Buffer[]
  /** Whether a block has begun and not ended. */
  isInBlock(this: void): boolean
  /** Why the received bytes are no answer; undefined without such bytes. */
  fault(this: void): MllpFailed | undefined
}

export function createAnswerReader(): AnswerReader {
  let received = 0
  let blocks = 0
  /** The pieces of the block that has begun. */
  let open: Buffer[] | undefined

  function describe(): MllpFailed {
    if (open !== undefined) return new MllpFailed(`the listener sent an unfinished answer (${received} bytes)`)
    return new MllpFailed(
      `answered without a frame (${received} bytes, none of them VT): MLLP puts VT before an acknowledgement, and FS and CR after it; correct the listener's framing`,
      { isSettings: true },
    )
  }

  return {
    read(bytes) {
      received += bytes.length
      if (received > maxBytes && blocks > 0) throw new MllpFailed(`the listener sent ${blocks} blocks and no answer`)
      if (received > maxBytes) throw describe()
      const whole: Buffer[] = []
      let rest = bytes
      while (rest.length > 0) {
        if (open === undefined) {
          if (rest.toString('latin1', 0, httpAnswer.length) === httpAnswer) throw isHttp()
          const begins = rest.indexOf(start)
          if (begins === -1) break
          open = []
          rest = rest.subarray(begins + 1)
        }
        const ends = rest.indexOf(end)
        open.push(ends === -1 ? rest : rest.subarray(0, ends))
        if (ends === -1) break
        whole.push(Buffer.concat(open))
        blocks += 1
        open = undefined
        rest = rest.subarray(ends + 1)
      }
      return whole
    },
    isInBlock: () => open !== undefined,
    fault: () => (open === undefined && (received === 0 || blocks > 0) ? undefined : describe()),
  }
}

/** Whether bytes are only the end of a block already read: a listener may send CR or LF separately. */
export function isTail(bytes: Buffer): boolean {
  return bytes.length <= 2 && bytes.every((byte) => byte === 0x0d || byte === 0x0a)
}
