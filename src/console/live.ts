import type { Request, Response } from 'express'

/** Sends a fragment of a page to all who watch it, again and again, as server-sent events. */
export interface Live {
  follow(this: void, req: Request, res: Response): void
}

export interface LiveDeps {
  render: () => Promise<string>
  /** Aborts when the process stops: streams never end by themselves. */
  stopping: AbortSignal
  everyMs?: number
}

/** Streams at a time: each holds a connection. */
const maxStreams = 50

/** Makes the stream. However many watch, it is rendered once for all; while nobody does, not at all. */
export function createLive({ render, stopping, everyMs = 2_000 }: LiveDeps): Live {
  const streams = new Set<Response>()
  let timer: NodeJS.Timeout | undefined
  let isRendering = false

  async function send(): Promise<void> {
    // A ledger that takes long is not asked twice at a time.
    if (isRendering) return
    isRendering = true
    try {
      const message = `data: ${JSON.stringify(await render())}\n\n`
      // Whoever does not read gets the next one.
      for (const res of streams) if (!res.writableNeedDrain) res.write(message)
    } catch {
      // What cannot be read now is sent once it can: the page says how old its numbers are.
    } finally {
      isRendering = false
    }
  }

  function leave(res: Response): void {
    streams.delete(res)
    if (streams.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  stopping.addEventListener('abort', () => {
    for (const res of streams) res.end()
  })

  return {
    follow(req, res) {
      if (stopping.aborted || streams.size >= maxStreams) {
        res.status(503).end()
        return
      }
      res.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      res.flushHeaders()
      streams.add(res)
      // Whoever has a session still finds it renewed when the browser connects again.
      const { sessionEndsAt } = req.access ?? {}
      const end =
        sessionEndsAt === undefined ? undefined : setTimeout(() => res.end(), sessionEndsAt - Date.now()).unref()
      res.once('close', () => {
        clearTimeout(end)
        leave(res)
      })
      timer ??= setInterval(() => void send(), everyMs).unref()
      void send()
    },
  }
}
