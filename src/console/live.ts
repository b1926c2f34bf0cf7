import type { Request, Response } from 'express'

/** Streams a fragment of a page to all viewers as server-sent events. */
export interface Live {
  follow(this: void, req: Request, res: Response): void
}

export interface LiveDeps {
  render: () => Promise<string>
  /** Aborts when the process stops: streams never end by themselves. */
  stopping: AbortSignal
  everyMs?: number
}

/** Max concurrent streams: each holds a connection. */
const maxStreams = 50

/** Makes the stream. It is rendered once for all viewers, and not at all without one. */
export function createLive({ render, stopping, everyMs = 2_000 }: LiveDeps): Live {
  const streams = new Set<Response>()
  let timer: NodeJS.Timeout | undefined
  let isRendering = false

  async function send(): Promise<void> {
    // One render at a time, even with a slow ledger.
    if (isRendering) return
    isRendering = true
    try {
      const message = `data: ${JSON.stringify(await render())}\n\n`
      // A slow reader skips to the next one.
      for (const res of streams) if (!res.writableNeedDrain) res.write(message)
    } catch {
      // A failed read is skipped: the page shows the age of its numbers.
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
      // The browser reconnects with a renewed session.
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
