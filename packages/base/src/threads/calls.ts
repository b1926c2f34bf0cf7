/** `[id, method, arguments]` */
type Call = [number, string, readonly unknown[]]
/** `[id, value]`, or `[id, undefined, error]` as `ErrorCodec` writes it. */
type Reply = [number, unknown, unknown?]
/** A thread, or a port to one. */
export interface End {
  postMessage(message: unknown): void
  on(event: 'message', listen: (message: unknown) => void): unknown
}

/** Encodes errors for the other thread: sent as they are, they would lose their class. */
export interface ErrorCodec {
  write(error: unknown): unknown
  read(written: unknown): Error
}

/** Calls methods served at the other end of a port. */
export interface Caller {
  call(method: string, ...args: readonly unknown[]): Promise<unknown>
  /** Rejects all pending and future calls. */
  end(reason: Error): void
}

/** Batches all calls of one event loop turn into one message, since waking a thread costs more than most of them. */
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

  function settle([id, value]: Reply, error: Error | undefined): void {
    const waiting = pending.get(id)
    pending.delete(id)
    if (error === undefined) waiting?.resolve(value)
    else waiting?.reject(error)
  }

  port.on('message', (replies) => {
    // Sent by answerCalls.
    for (const reply of replies as Reply[]) settle(reply, reply[2] === undefined ? undefined : read(reply[2]))
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

/** Serves calls from a port; results that become known together travel in one message. */
export function answerCalls(
  port: End,
  methods: Readonly<Record<string, (...args: never[]) => unknown>>,
  { write }: ErrorCodec,
): void {
  let replies: Reply[] = []

  function reply(next: Reply): void {
    // Sent once all calls settled by the same commit are in.
    if (replies.length === 0) process.nextTick(send)
    replies.push(next)
  }

  function send(): void {
    const message = replies
    replies = []
    postEach(port, message, ([id], error) => port.postMessage([[id, undefined, write(error)]]))
  }

  async function run([id, method, args]: Call): Promise<void> {
    try {
      // Caller and methods have the same type on both ends.
      reply([id, await methods[method]?.(...(args as never[]))])
    } catch (error) {
      reply([id, undefined, write(error)])
    }
  }
  port.on('message', (calls) => {
    // Sent by createCaller.
    for (const call of calls as Call[]) void run(call)
  })
}

/** Posts all in one message. If one cannot be cloned, posts each alone, so that only that one fails. */
function postEach<T>(port: End, messages: readonly T[], fail: (message: T, error: Error) => void): void {
  try {
    port.postMessage(messages)
  } catch {
    for (const message of messages) {
      try {
        port.postMessage([message])
      } catch (error) {
        fail(message, error instanceof Error ? error : new Error('It cannot be sent to another thread.'))
      }
    }
  }
}
