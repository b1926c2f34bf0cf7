import type { Fetch } from '@pawl/base/net/fetch'
import { post } from './post.ts'
import type { AlertTarget } from './target.ts'

/** A target that takes the JSON of Slack's incoming webhooks. */
export function createSlackTarget({ address, fetch }: { address: string; fetch: Fetch }): AlertTarget {
  return {
    name: 'slack',
    send: ({ text }) => post(fetch, address, JSON.stringify({ text: escapeText(text) })),
    close() {},
  }
}

/** Escapes the characters by which Slack marks links and mentions. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
