{% macro shards_of(path) %}
    {#-
        The folders of a table that is declared with a list of them: value of the shard column and path of each. The
        value is what is left of a folder when the first and last parts that all folders share are taken away; of one
        folder its last part. Nothing for a table with one folder.
    -#}
    {% if path is string %}{% do return([]) %}{% endif %}
    {% set folders, shards = [], [] %}
    {% for folder in path %}{% do folders.append(absolute_path(folder).rstrip("/").split("/")) %}{% endfor %}
    {% set shortest = folders | map("length") | min %}
    {% set shared = namespace(first=0, last=0) %}
    {#- A part of its own is left of each. -#}
    {% for place in range(shortest - 1) if _is_shared(folders, place) and shared.first == place %}
        {% set shared.first = place + 1 %}
    {% endfor %}
    {% for place in range(shortest - 1 - shared.first) if _is_shared(folders, -1 - place) and shared.last == place %}
        {% set shared.last = place + 1 %}
    {% endfor %}
    {% for folder in folders %}
        {% set own = folder[shared.first:folder | length - shared.last] %}
        {% do shards.append({"name": own | join("/"), "path": folder | join("/") ~ "/"}) %}
    {% endfor %}
    {% do return(shards) %}
{% endmacro %}


{% macro _is_shared(folders, place) %}
    {#- Whether folders have the same part at a place, counted from 0, or from -1 at their end. -#}
    {% set parts = {} %}
    {% for folder in folders %}{% do parts.update({folder[place]: none}) %}{% endfor %}
    {% do return(parts | length == 1) %}
{% endmacro %}


{% macro folder_texts(path) %}
    {#- The folders of a declaration, as they are written. -#}
    {% do return([path] if path is string else path) %}
{% endmacro %}


{% macro shard_problems(declared) %}
    {% set problems, names, column = [], [], declared.shard_column %}
    {% if declared.path is string %}
        {% do return(["shard_column is " ~ column ~ ", but path is one folder; allowed is a list of them"] if column) %}
    {% endif %}
    {% set types = {} %}
    {% for one in declared.columns %}{% do types.update({one.name: one.data_type | default("", true) | lower}) %}{% endfor %}
    {% if not column %}
        {% do problems.append(
            "path is a list of folders, and shard_column is missing: the column that says which of them a row is from"
        ) %}
    {% elif types.get(column) != "string" %}
        {% do problems.append(
            "shard_column is " ~ column ~ "; allowed is a declared column of data_type string, which the files do not "
            ~ "have. Add {name: " ~ column ~ ", data_type: string} to columns"
        ) %}
    {% endif %}
    {% if declared.transaction_path %}
        {% do problems.append("path is a list of folders, and transaction_path is set; allowed is one of them") %}
    {% endif %}
    {% for shard in declared.shards %}
        {% for other in declared.shards[:loop.index0]
            if shard.path.startswith(other.path) or other.path.startswith(shard.path) %}
            {% do problems.append(
                "path has " ~ other.path ~ " and " ~ shard.path ~ ", which are one folder, or one lies in the other"
            ) %}
        {% endfor %}
    {% endfor %}
    {% do return(problems) %}
{% endmacro %}


{% macro keys_with_shard(declared) %}
    {#-
        What tells a row from all others of the table while it is made: with several folders the shard, too, for each
        folder has a state of its own. It comes first, as all rows of a folder's files have one.
    -#}
    {% set keys, column = declared.primary_keys, declared.shard_column %}
    {% do return([column] + keys if column and keys and column not in keys else keys) %}
{% endmacro %}
