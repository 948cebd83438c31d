import { Arg, Ctx, FieldResolver, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { BotObject } from '../status/status.type.js';
import { syncCommands } from './command-sync.service.js';
import { listCommands, writeCommands } from './command.service.js';
import { CommandInput, CommandsObject, CommandsSyncedObject, CommandsWrittenObject } from './command.type.js';

@Resolver(() => BotObject)
export class CommandResolver {
  @Access('bot:read')
  @FieldResolver(() => CommandsObject, {
    description: 'The global prefix, and the commands of every module.',
  })
  commands(@Ctx() ctx: RequestContext) {
    return listCommands(ctx.em);
  }

  @Access('bot:write')
  @Mutation(() => CommandsWrittenObject, { description: 'Sets what is given, all or nothing.' })
  async updateBotCommands(
    @Ctx() ctx: RequestContext,
    @Arg('prefix', () => String, { nullable: true }) prefix?: string | null,
    @Arg('commands', () => [CommandInput], { nullable: true }) commands?: CommandInput[] | null,
  ) {
    return { success: true, ...(await writeCommands(ctx.em, ctx, { prefix, commands })) };
  }

  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => CommandsSyncedObject, {
    description: 'Gives the platform the slash commands as they are now. BOT_NOT_RUNNING unless connected.',
  })
  async syncBotCommands(@Ctx() ctx: RequestContext) {
    return { success: true, ...(await syncCommands(ctx.em, ctx)) };
  }
}
