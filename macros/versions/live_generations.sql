{% macro live_generations(version) %}
    {#- The load generations that the rows of a plan or a manifest stand on: one of each folder. -#}
    {% do return(version.shards | map(attribute="generation") | list if version.shards else [version.generation]) %}
{% endmacro %}


{% macro of_generations_sql(column, generations) %}
    {#- Whether a change or a file is of some load generations. -#}
    {% do return(
        column ~ " = " ~ generations[0] if generations | length == 1
        else column ~ " in (" ~ generations | join(", ") ~ ")"
    ) %}
{% endmacro %}


{% macro folder_number_sql(generation) %}
    {#- Which folder of its table a load generation is of, from 0: see pyspark_dms.landing.shards. -#}
    {% do return("(" ~ generation ~ " - 1) div 100000") %}
{% endmacro %}


{% macro is_live_generation_sql(generation, version) %}
    {#- The same of a row of the version history, or of a struct with its load generation and its folders. -#}
    if(coalesce(size({{ version }}.shards), 0) < 1,
        {{ generation }} = {{ version }}.generation,
        exists({{ version }}.shards, shard -> shard.generation = {{ generation }}))
{%- endmacro %}
