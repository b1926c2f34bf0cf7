import type { Api } from '../../packages/client/src/api/client.ts'
import type { CallOptions } from '../../packages/client/src/api/request.ts'

/** The service as far as the dispatch asks it, with answers set by the test. */
export interface ScriptedApi {
  api: Api
  /** Ids in the order in which they were read. */
  reads: string[]
  /** Beside each of `reads`, the priority that it had. */
  priorities: CallOptions['priority'][]
  /** Sets the answer of the next GETs of this id. */
  set(data: { id: string; [field: string]: unknown }): void
  /** Called before each answer: throw to fail, await to delay. */
  before: (id: string, signal: AbortSignal | undefined, options?: CallOptions) => Promise<void> | void
}

/** Makes a service that only answers GETs. `patient`: whose all its resources are, where they do not say. */
export function createScriptedApi({ patient }: { patient?: object } = {}): ScriptedApi {
  const patientOf = patient === undefined ? {} : { patient }
  const answers = new Map<string, object>()
  const scripted: ScriptedApi = {
    // The dispatch and the handlers of these tests call nothing else.
    api: {
      async readSnapshot(_kind: string, id: string, options?: CallOptions) {
        scripted.reads.push(id)
        scripted.priorities.push(options?.priority)
        await scripted.before(id, options?.signal, options)
        return { ...patientOf, ...(answers.get(id) ?? { id, status: 'processing' }) }
      },
    } as unknown as Api,
    reads: [],
    priorities: [],
    set: (data) => void answers.set(data.id, data),
    before: () => {},
  }
  return scripted
}
