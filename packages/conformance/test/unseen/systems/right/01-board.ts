import { z } from 'zod'
import { defineHandler, type PriorAuthorization } from '../../../../../../src/index.ts'
import { createOneAtATime, type RunContext, type System } from '../../../../../../src/connector.ts'
import { listedSystem } from '../../../../../../templates/listed-system.ts'
import { asking, contentOf, integrationOf, type OwnSystem } from '../integration-of.ts'

const Case = z.object({ id: z.string() })

export interface Board {
  putCase(priorAuthorization: PriorAuthorization): Promise<void>
  removeCase(): Promise<void>
}

/** Searches, then posts; patches what it finds, and deletes it. */
export function boardAt(url: string): System<Board> {
  const inTurn = createOneAtATime()
  const ask = asking(url, { system: 'board', what: 'case' })

  async function find(run: RunContext): Promise<string | undefined> {
    const text = await ask(run, 'GET', `/cases?reference=${run.resourceId}`)
    return z.array(Case).parse(JSON.parse(text))[0]?.id
  }

  return {
    open: (run) => ({
      putCase: (priorAuthorization) =>
        inTurn(run.resourceId, async () => {
          const content = contentOf(priorAuthorization)
          const digest = run.digest(JSON.stringify(content))
          const known = await run.memory.read('case')
          if (known?.digest === digest) return
          let id = known?.id ?? (await find(run))
          if (id === undefined) id = Case.parse(JSON.parse(await ask(run, 'POST', '/cases', content))).id
          else {
            await run.memory.write('case', { id })
            await ask(run, 'PATCH', `/cases/${id}`, content)
          }
          await run.memory.write('case', { id, digest })
          run.wrote({ type: 'Case', id })
        }),
      removeCase: () =>
        inTurn(run.resourceId, async () => {
          const id = (await run.memory.read('case'))?.id ?? (await find(run))
          if (id === undefined) return
          // The next run searches, whatever becomes of this request.
          await run.memory.forget('case')
          await ask(run, 'DELETE', `/cases/${id}`)
          run.wrote({ type: 'Case', id })
        }),
    }),
  }
}

const keep = (name: string, on: 'prior_authorization.status_change' | 'prior_authorization.message') =>
  defineHandler({
    name,
    on: [on],
    async handle(context) {
      // The compiler cannot see which systems the integration lists.
      const board = listedSystem(context, 'board') as Board
      if (context.resource.status === 'cancelled') await board.removeCase()
      else await board.putCase(context.resource)
    },
  })

export const board: OwnSystem = {
  name: 'board',
  setting: 'BOARD_URL',
  systemAt: boardAt,
  handlers: [
    keep('case-to-board', 'prior_authorization.status_change'),
    keep('case-to-board-on-message', 'prior_authorization.message'),
  ],
}

/** Odd: two handlers share a system without idempotency keys, and a case of a cancelled PA is removed. */
export const integration = integrationOf(board)
