import { Args, ArgsType, Ctx, Field, FieldResolver, Mutation, Resolver } from 'type-graphql';
import { Access, OwnTransaction } from '../../platform/graphql/access.js';
import type { RequestContext } from '../../platform/graphql/request-context.js';
import { JsonObjectScalar, NameScalar } from '../../platform/graphql/scalars.js';
import { BotObject } from '../status/status.type.js';
import { listLoggingTargets, writeLoggingTarget } from './logging-target.service.js';
import { listModuleConfigs, writeModuleConfig } from './module-config.service.js';
import { toggleModule } from './module-toggle.service.js';
import { listModules } from './module.service.js';
import {
  LoggingTargetObject,
  LoggingTargetWrittenObject,
  ModuleConfigObject,
  ModuleConfigWrittenObject,
  ModuleObject,
  ModuleToggledObject,
} from './module.type.js';

/** The person behind a write, for the activity log. */
@ArgsType()
abstract class ActorArgs {
  @Field(() => NameScalar, { nullable: true })
  actorId?: string | null;

  @Field(() => NameScalar, { nullable: true })
  actorTag?: string | null;
}

@ArgsType()
class ToggleArgs extends ActorArgs {
  @Field(() => String)
  id!: string;

  @Field(() => Boolean)
  enabled!: boolean;
}

@ArgsType()
class ConfigArgs extends ActorArgs {
  @Field(() => String)
  id!: string;

  @Field(() => String)
  group!: string;

  @Field(() => JsonObjectScalar, { description: 'By key; null goes back to the default.' })
  values!: Record<string, unknown>;
}

@ArgsType()
class LoggingArgs extends ActorArgs {
  @Field(() => String, { description: 'A module, or `core`.' })
  id!: string;

  @Field(() => Boolean, { nullable: true })
  enabled?: boolean | null;

  @Field(() => String, { nullable: true, description: "A channel's id; null: none." })
  channel?: string | null;

  @Field(() => JsonObjectScalar, {
    nullable: true,
    description: 'By key: true, false, {enabled, channel}, or null for as declared.',
  })
  events?: Record<string, unknown> | null;
}

@Resolver(() => BotObject)
export class ModuleResolver {
  @Access('bot:read')
  @FieldResolver(() => [ModuleObject])
  modules(@Ctx() ctx: RequestContext) {
    return listModules(ctx.em);
  }

  @Access('bot:read')
  @FieldResolver(() => [ModuleConfigObject], {
    description: 'What can be set of each module, with its value.',
  })
  moduleConfigs(@Ctx() ctx: RequestContext) {
    return listModuleConfigs(ctx.em);
  }

  @Access('bot:read')
  @FieldResolver(() => [LoggingTargetObject], {
    description: 'Where modules, and the bot itself, tell their events.',
  })
  loggingTargets(@Ctx() ctx: RequestContext) {
    return listLoggingTargets(ctx.em);
  }

  @Access('bot:write')
  @OwnTransaction()
  @Mutation(() => ModuleToggledObject, {
    description:
      'Also while the bot is stopped. MODULE_ENABLE_FAILED when its code throws; it stays disabled.',
  })
  async toggleBotModule(@Ctx() ctx: RequestContext, @Args(() => ToggleArgs) toggle: ToggleArgs) {
    return { success: true, ...(await toggleModule(ctx.em, ctx, toggle)) };
  }

  @Access('bot:write')
  @Mutation(() => ModuleConfigWrittenObject, { description: 'Sets what is given, all or nothing.' })
  async updateBotModuleConfig(@Ctx() ctx: RequestContext, @Args(() => ConfigArgs) write: ConfigArgs) {
    return { success: true, ...(await writeModuleConfig(ctx.em, ctx, write)) };
  }

  @Access('bot:write')
  @Mutation(() => LoggingTargetWrittenObject, { description: 'Sets what is given, all or nothing.' })
  async updateBotLoggingTarget(@Ctx() ctx: RequestContext, @Args(() => LoggingArgs) write: LoggingArgs) {
    return { success: true, ...(await writeLoggingTarget(ctx.em, ctx, write)) };
  }
}
