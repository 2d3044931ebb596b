{% macro mark_published(relation, declared, state, version) %}
    {#-
        Last of all, so that it tells whether everything was shown. If another command has committed
        a version meanwhile, some of this one may have been shown over it: then the newest is shown again.
    -#}
    {% do run_query("alter table " ~ relation ~ " set tblproperties ('dms.published_version' = " ~ sql_string(version) ~ ")") %}
    {% set newest = table_versions(declared) | last %}
    {% if newest != version %}
        {% do state.update({"newest": newest, "version": newest + 1, "head": head_version(declared, newest)}) %}
        {% do show_state(relation, declared, state, version, known=false) %}
    {% endif %}
{% endmacro %}
