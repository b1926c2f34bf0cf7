import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs'
import { basename, join, relative } from 'node:path'

/** Debounces editors, which write a file in several steps, and formatters, which write many files. */
const settleMs = 150

/** Sources of a running gateway, without tests. */
const isSource = (name: string) => /\.(ts|js|json)$/.test(name) && !name.endsWith('.test.ts')

/** Calls back with the paths of changed sources, relative to the root. Changes in quick succession cause one call. `folders` are watched recursively, `files` one by one; both are relative to the root. */
export function watchSources(
  root: string,
  { folders, files }: { folders: readonly string[]; files: readonly string[] },
  onChange: (paths: readonly string[]) => void,
): { close(this: void): void } {
  const watchers = new Map<string, FSWatcher>()
  const unsettled = new Set<string>()
  let settling: NodeJS.Timeout | undefined

  function changed(path: string): void {
    unsettled.add(relative(root, path))
    clearTimeout(settling)
    settling = setTimeout(() => {
      const paths = [...unsettled]
      unsettled.clear()
      onChange(paths)
    }, settleMs)
  }

  /** One watcher per folder: recursive watchers lose files that an editor replaces (Node 20 on Linux). */
  function watchFolder(folder: string): void {
    if (watchers.has(folder)) return
    const entries = readFolder(folder)
    if (entries === undefined) return
    const watcher = watch(folder, (_event, name) => {
      if (name === null) return
      const path = join(folder, name)
      if (isSource(name)) changed(path)
      else watchFolder(path)
    })
    const forget = () => {
      watcher.close()
      watchers.delete(folder)
    }
    watcher.on('error', forget)
    watcher.on('change', () => existsSync(folder) || forget())
    watchers.set(folder, watcher)
    for (const entry of entries) if (entry.isDirectory()) watchFolder(join(folder, entry.name))
  }

  for (const folder of folders) watchFolder(join(root, folder))
  // A missing file cannot be watched; its folder can.
  const watcher = watch(root, (_event, name) => {
    if (name !== null && files.includes(basename(name))) changed(join(root, name))
  })
  watchers.set(root, watcher)
  return {
    close() {
      clearTimeout(settling)
      for (const each of watchers.values()) each.close()
    },
  }
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // A file, or already gone.
    return undefined
  }
}
