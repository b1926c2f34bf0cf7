/** `[id, method, arguments]` */
type Call = [number, string, readonly unknown[]]
/** `[id, value]`, or `[id, undefined, error]` as `ErrorCodec` writes it. */
type Answer = [number, unknown, unknown?]
/** A thread, or a port to one. */
export interface End {
  postMessage(message: unknown): void
  on(event: 'message', listen: (message: unknown) => void): unknown
}

/** How errors cross: as they are, they would arrive without their class. */
export interface ErrorCodec {
  write(error: unknown): unknown
  read(written: unknown): Error
}

/** Calls the methods that the other end of a port answers for. */
export interface Caller {
  call(method: string, ...args: readonly unknown[]): Promise<unknown>
  /** Rejects all that is and will be asked. */
  end(reason: Error): void
}

/** All calls of one turn of the event loop travel in one message, since waking a thread costs more than most of them. */
export function createCaller(port: End, { read }: ErrorCodec): Caller {
  const pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let calls: Call[] = []
  let lastId = 0
  let ended: Error | undefined

  function send(): void {
    const message = calls
    calls = []
    postEach(port, message, ([id], error) => settle([id, undefined], error))
  }

  function settle([id, value]: Answer, error: Error | undefined): void {
    const waiting = pending.get(id)
    pending.delete(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(error)
  }

  port.on('message', (answers) => {
    // As answerCalls sends them.
    for (const answer of answers as Answer[]) settle(answer, answer[2] === undefined ? undefined : read(answer[2]))
  })
  return {
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended)
        lastId += 1
        pending.set(lastId, { resolve, reject })
        if (calls.length === 0) setImmediate(send)
        calls.push([lastId, method, args])
      }),
    end(reason) {
      ended ??= reason
      for (const { reject } of pending.values()) reject(ended)
      pending.clear()
    },
  }
}

/** Answers the calls that come through a port; what becomes known at one time travels in one message. */
export function answerCalls(
  port: End,
  methods: Readonly<Record<string, (...args: never[]) => unknown>>,
  { write }: ErrorCodec,
): void {
  let answers: Answer[] = []

  function answer(next: Answer): void {
    // Once all that the same commit settled has been put in.
    if (answers.length === 0) process.nextTick(send)
    answers.push(next)
  }

  function send(): void {
    const message = answers
    answers = []
    postEach(port, message, ([id], error) => port.postMessage([[id, undefined, write(error)]]))
  }

  async function run([id, method, args]: Call): Promise<void> {
    try {
      // Caller and methods have the same type on both ends.
      answer([id, await methods[method]?.(...(args as never[]))])
    } catch (error) {
      answer([id, undefined, write(error)])
    }
  }
  port.on('message', (calls) => {
    // As createCaller sends them.
    for (const call of calls as Call[]) void run(call)
  })
}

/** Posts all in one message, or, where one of them cannot cross, each alone, so that only that one fails. */
function postEach<T>(port: End, messages: readonly T[], fail: (message: T, error: Error) => void): void {
  try {
    port.postMessage(messages)
  } catch {
    for (const message of messages) {
      try {
        port.postMessage([message])
      } catch (error) {
        fail(message, error instanceof Error ? error : new Error('It cannot cross to another thread.'))
      }
    }
  }
}
