{% macro refuse_flags() %}
    {#-
        --empty reads nothing of the index, the logs and the ledger, so nothing would be known of what was
        taken; --defer leads to those of another environment, and a run writes to them.
    -#}
    {% for flag in ["empty", "defer"] if invocation_args_dict.get(flag) %}
        {% do exceptions.raise_compiler_error(
            "--" ~ flag ~ ": not with this project, whose models read the ledger and the logs of their own schema to know "
            ~ "what is to be done. Nothing was run. Leave it out; to try things, run into a schema of its own (DMS_SCHEMA)."
        ) %}
    {% endfor %}
{% endmacro %}
