import { z } from 'zod'
import type { ErrandOf } from '../command-line.ts'
import { reachSandbox } from './reach-sandbox.ts'

const Entry = z.object({ name: z.string(), saved_at: z.string(), now: z.string(), cases: z.number() })

/** Saves, loads, removes or lists snapshots of a running sandbox. Throws `CommandFailed`. */
export async function keepSnapshots(
  errand: ErrandOf<'save' | 'load' | 'remove' | 'snapshots'>,
  url: string,
  print: (line: string) => void,
): Promise<void> {
  const { json } = errand
  const path = '/_sandbox/snapshots'
  if (errand.errand === 'snapshots') {
    const { data } = z.object({ data: z.array(Entry) }).parse(await (await reachSandbox(url, path)).json())
    if (json) print(JSON.stringify(data))
    else if (data.length === 0) print('No snapshots. Save one with save <name>.')
    for (const entry of json ? [] : data) print(describe(entry))
    return
  }
  const one = `${path}/${encodeURIComponent(errand.name)}`
  if (errand.errand === 'remove') {
    await reachSandbox(url, one, { method: 'DELETE' })
    print(json ? JSON.stringify({ removed: errand.name }) : `Removed ${errand.name}.`)
    return
  }
  const response =
    'replace' in errand
      ? await reachSandbox(url, path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: errand.name, replace: errand.replace }),
        })
      : await reachSandbox(url, `${one}/load`, { method: 'POST' })
  const { data } = z.object({ data: Entry }).parse(await response.json())
  print(json ? JSON.stringify(data) : `${errand.errand === 'load' ? 'Loaded' : 'Saved'} ${describe(data)}`)
}

const describe = ({ name, saved_at: savedAt, now, cases }: z.infer<typeof Entry>) =>
  `${name}: ${cases} ${cases === 1 ? 'case' : 'cases'} at ${now} of the sandbox, saved ${savedAt}`
