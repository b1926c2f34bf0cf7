import { createInProcessQueue } from '../../src/queue/in-process-queue.ts'
import { describeQueue } from './queue-contract.ts'

describeQueue('in one process', () => Promise.resolve(createInProcessQueue()))
