import { Sqlite } from '../../packages/base/src/sqlite.ts'

/** Takes the write lock of a file, and keeps it until it is killed. */
const database = new Sqlite(process.argv[2])
database.exec('begin immediate')
process.stdout.write('held\n')
// Collected as garbage, it would end its lock.
setInterval(() => database.open, 1_000)
